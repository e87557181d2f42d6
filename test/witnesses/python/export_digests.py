"""What polars reads by each pattern: the columns, the number of rows, and a digest of them whatever their order; or the kind of error.
Patterns are lines of stdin. A pattern with folders for partitions is read as one."""
import json
import sys

import polars

scans = {
    "parquet": polars.scan_parquet,
    "csv": lambda pattern, **more: polars.scan_csv(pattern, infer_schema=False),
    "jsonl": lambda pattern, **more: polars.scan_ndjson(pattern, infer_schema_length=None),
}
answer = {}
for pattern in sys.stdin.read().splitlines():
    try:
        frame = scans[pattern.rsplit(".", 1)[1]](pattern, hive_partitioning="/*/*/" in pattern).collect()
        answer[pattern] = [frame.columns, frame.height, str(frame.hash_rows().sum())]
    except Exception as error:
        answer[pattern] = type(error).__name__
print(json.dumps(answer))
