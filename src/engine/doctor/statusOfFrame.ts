/**
 * SQL: the status in the payload of a `run_status` frame, whose first field it is. Read as text: `->>` would fail on the
 * U+0000 that an error further on may hold.
 */
export const statusOfFrame = `substring(payload::text from '^\\s*\\{\\s*"status"\\s*:\\s*"([a-z_]+)"')`;
