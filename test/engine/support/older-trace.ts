/** An unfinished trace as the first five migrations kept it, a process at it, and another lease; `now` as the engine writes a time. */
export function olderTrace(now: string): string {
  return `INSERT INTO _addresses (id, address) VALUES (1, '0x1');
    INSERT INTO _traces (id, rounds, opened_at) VALUES ('t', 1, ${now});
    INSERT INTO _trace_groups VALUES ('t', 0, 1, '["coin"]', 5, 9, 2, 1 = 0, 1 = 0, 1 = 1, 2, '[["coin","6","7","aa","bb",2,2,"exact",null]]');
    INSERT INTO _module_probes (address_id, name, ledger_version) VALUES (1, 'coin', 7);
    INSERT INTO _leases VALUES ('trace', 'a', 1, ${now}, ${now}), ('trace:t:at:a', 'a', 1, ${now}, ${now}), ('trace:t:group:0', 'a', 1, ${now}, ${now})`;
}
