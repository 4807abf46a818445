import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { follow } from './follow.ts';
import type { Document } from './graphql.ts';
import { useScope } from './queries.ts';
import { type LiveState, liveState, onLiveState } from './socket.ts';

interface FollowOptions<Answer> {
  onMessage: (answer: Answer) => void;
  /** Changes may have been missed: read again. */
  onGap?: () => void;
  /** See `follow`. */
  resume?: () => object;
  isEnabled?: boolean;
  hasEnd?: boolean;
}

/** Follows a subscription while its part of the page is shown. */
export function useFollow<Answer, Variables>(
  document: Document<Answer, Variables>,
  variables: Variables,
  { onMessage, onGap, resume, isEnabled = true, hasEnd = false }: FollowOptions<Answer>,
): void {
  const scope = useScope();
  const text = JSON.stringify(variables);
  const message = useEffectEvent(onMessage);
  const gap = useEffectEvent(() => onGap?.());
  const goesOn = useEffectEvent(() => resume?.() ?? {});
  const canResume = resume !== undefined;
  const isOn = isEnabled && scope !== '';
  // biome-ignore lint/correctness/useExhaustiveDependencies: another scope is another socket.
  useEffect(() => {
    if (!isOn) return;
    return follow<Answer, Variables>({
      document,
      variables: () => JSON.parse(text) as Variables,
      onMessage: (answer) => message(answer),
      onGap: () => gap(),
      ...(canResume && { resume: () => goesOn() }),
      hasEnd,
    });
  }, [document, text, isOn, hasEnd, scope, canResume]);
}

/** Whether live updates arrive. */
export const useLiveState = (): LiveState => useSyncExternalStore(onLiveState, liveState);
