/** What `schema --grants` of version 0.1.0 printed last: for a superuser to run, in the archive's database. */
export const olderGrants = (role: string, schema: string): string => `
  DO $movedex$ DECLARE f regprocedure; BEGIN IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN RAISE
  insufficient_privilege; END IF; FOR f IN SELECT p.oid::regprocedure FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON
  n.oid = p.pronamespace WHERE p.prokind IN ('f', 'w') AND (p.provolatile = 'v' OR p.prosecdef OR p.proname = ANY
  ('{txid_current,pg_current_xact_id,pg_stat_get_activity,pg_stat_get_backend_activity,pg_stat_get_backend_client_addr,
    pg_stat_get_backend_client_port,pg_stat_get_wal_senders,pg_stat_get_wal_receiver,inet_server_addr,inet_server_port,inet_client_addr,
    inet_client_port}'))
  AND NOT (n.nspname = 'pg_catalog' AND p.proname = ANY
  ('{random,random_normal,gen_random_uuid,uuidv4,uuidv7,clock_timestamp,timeofday,array_sample,array_shuffle,pg_relation_size,
    pg_table_size,pg_indexes_size,pg_total_relation_size,pg_database_size,pg_tablespace_size,pg_is_in_recovery,pg_xact_status,
    txid_status,pg_jit_available,pg_sequence_last_value,pg_partition_tree,pg_partition_ancestors,pg_collation_actual_version,
    pg_database_collation_actual_version,plpgsql_validator,nextval,currval,lastval,setval}'))
  AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype, 'language_handler'::regtype) AND NOT 'internal'::regtype =
  ANY (p.proargtypes) AND has_schema_privilege('${role}', n.oid, 'USAGE') LOOP EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM
  PUBLIC, %I', f, '${role}'); EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO pg_monitor, %I', f, (SELECT pg_get_userbyid(nspowner)
  FROM pg_namespace WHERE nspname = '${schema}')); END LOOP; IF to_regnamespace('public') IS NOT NULL THEN REVOKE CREATE ON SCHEMA
  public FROM PUBLIC; END IF; EXECUTE format('ALTER ROLE %I IN DATABASE %I SET %s', '${role}', current_database(), 'temp_file_limit TO
  ''1GB'''); EXCEPTION WHEN insufficient_privilege THEN RAISE WARNING '% may still call functions that act: a superuser has to run
  these statements', '${role}'; END $movedex$;
`;
