/** A demo fails after this time instead of hanging. */
const timeLimitMs = 120_000;

/** Runs a demo to its end. A failure, a signal or a closed output ends the process with code 1. */
export async function runDemo(demo: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const abort = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => abort.abort(new Error(`stopped by ${name}`)));
  // A closed output (`| head`) ends the demo and its service.
  process.stdout.on('error', (cause) => abort.abort(cause));
  const timer = setTimeout(() => abort.abort(new Error(`not done after ${timeLimitMs / 1000} s`)), timeLimitMs).unref();
  try {
    await demo(abort.signal);
  } catch (thrown) {
    // After an abort, later errors are only its consequences.
    const cause: unknown = abort.signal.aborted ? abort.signal.reason : thrown;
    console.error(`the demo failed: ${cause instanceof Error ? cause.message : String(cause)}`);
    process.exitCode = 1;
  } finally {
    clearTimeout(timer);
  }
}

/** The outcome of `work`, unless the demo is stopped first. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
  return Promise.race([work, aborted]);
}
