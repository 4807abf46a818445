/**
 * Options of the tests' HTTP servers. Node closes a connection that has been idle for 5 s, and a
 * request that arrives at that moment is lost. On a busy machine a client pauses for so long.
 */
export const keptOpen = { keepAliveTimeout: 75_000 };
