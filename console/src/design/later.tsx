import { type FunctionComponent, type ReactNode, useEffect, useState } from 'react';

interface Meanwhile {
  /** Shown until the code is there. */
  meanwhile?: ReactNode;
}

/** A part whose code comes when it is shown first, or when `load` is called. */
type LaterPart<Props> = FunctionComponent<Props & Meanwhile> & { load: () => void };

/**
 * A part of a module that exports it as default. It shows as soon as its code is there. With `lazy`
 * it would not: React holds back for 300 ms what it reveals inside a `Suspense`.
 */
export function later<Props extends object>(
  load: () => Promise<{ default: FunctionComponent<Props> }>,
): LaterPart<Props> {
  let loading: Promise<FunctionComponent<Props>> | undefined;
  let loaded: FunctionComponent<Props> | undefined;
  const begin = (): Promise<FunctionComponent<Props>> => {
    loading ??= load().then(
      (module) => {
        loaded = module.default;
        return loaded;
      },
      (reason: unknown) => {
        // The next one to show it tries again.
        loading = undefined;
        throw reason;
      },
    );
    return loading;
  };
  function Later({ meanwhile = null, ...props }: Props & Meanwhile): ReactNode {
    const [Part, setPart] = useState(() => loaded);
    const [failure, setFailure] = useState<{ reason: unknown }>();
    useEffect(() => {
      begin().then(
        (part) => setPart(() => part),
        (reason: unknown) => setFailure({ reason }),
      );
    }, []);
    if (failure) throw failure.reason;
    return Part ? <Part {...(props as Props)} /> : meanwhile;
  }
  // A failure is told where the part is shown.
  return Object.assign(Later, { load: () => void begin().catch(() => undefined) });
}
