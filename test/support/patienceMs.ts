/**
 * How long tests wait for what must come: four times as long as by vitest's default, after which a
 * busy machine failed tests. Shorter than the service's own checks, which come after 4.6 s or more
 * where it missed a signal. So a wait that they end is no success.
 */
export const patienceMs = 4_000;
