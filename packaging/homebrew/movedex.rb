# A formula for Homebrew. A release fills in the version and the hash of its package.
class Movedex < Formula
  desc "Archive of the Move modules of a ledger node, in SQL"
  homepage "https://github.com/movedex/movedex"
  url "https://github.com/movedex/movedex/releases/download/v@VERSION@/movedex-@VERSION@.tgz"
  sha256 "@SHA256@"
  license "MIT"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
    man1.install Dir[libexec/"lib/node_modules/movedex/dist/man/*.1"]
    generate_completions_from_executable(bin/"movedex", "completions", shells: [:bash, :zsh, :fish])
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/movedex --version")
    system bin/"movedex", "demo"
  end
end
