# An operator's first hour: settings, a check of everything, a night under cron, metrics, a backup, a restore, an alert.
# $NODE is the node; $PASS_A_DAY lets a day pass on it; $RECEIVER takes alerts.
set -eu
cd "$HOME"
mkdir archive
cd archive

movedex init movedex.toml --network aptos-mainnet
movedex init . --for cron --network aptos-mainnet
movedex targets discover --help > /dev/null
movedex targets add $ACCOUNTS --db night.db
movedex doctor --rpc "$NODE" --rate 0 --db night.db > doctor.txt
movedex sync --rpc "$NODE" --rate 0 --db night.db --dry-run > plan.txt

# The line that cron would run at 2:17, with this node and folder in it, in what cron gives: no terminal, no shell's settings.
line=$(grep '^17 2 ' crontab | cut -d' ' -f6- | sed "s|--network aptos-mainnet|--rpc $NODE --rate 0|; s|/var/lib/movedex|$HOME/archive|")
night() {
  env -i HOME="$HOME" LOGNAME=movedex SHELL=/bin/sh PATH="$PATH" MOVEDEX_CONTACT=you@example.org MOVEDEX_WEBHOOK_URL="$RECEIVER" \
    /bin/sh -c "$line" < /dev/null >> mail.txt
}
night
grep -q '^movedex_run_success{.*archive="archive/night.db",command="night"} 1$' movedex.prom

# The disk is lost, and the backup is not.
before=$(movedex snapshots --json --db night.db)
rm night.db
movedex restore backups/*.db.zst --db night.db
test "$(movedex snapshots --json --db night.db)" = "$before"
movedex verify --db night.db > verified.txt
for module in $WATCHED; do movedex watch add "$module" --level dangerous --db night.db; done

curl -fsS -X POST "$PASS_A_DAY"
night
movedex status --db night.db > status.txt
