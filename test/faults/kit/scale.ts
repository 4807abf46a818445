/** FAULTS_SCALE multiplies how often each fault strikes: 1 on each push, more at night. */
const scale = Number(process.env['FAULTS_SCALE'] ?? 1);

/** Whether there is time for what takes long to prepare. */
export const isNightly = scale > 1;

export const times = (count: number): number => Math.max(1, Math.round(count * scale));

/**
 * How long a test of that many faults may take, in ms: far longer than it does, where nothing else
 * is going on.
 */
export const within = (count: number, msEach: number): number => 240_000 + times(count) * msEach;

/** The same for bringing the processes up. */
export const upWithinMs = 180_000;
