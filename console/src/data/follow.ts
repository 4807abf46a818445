import type { Document } from './graphql.ts';
import { onReturn, socket } from './socket.ts';
import { isTabAway, onTabAway } from './visibility.ts';

interface Follower<Answer, Variables> {
  document: Document<Answer, Variables>;
  /** Read anew for each subscription, so that a stream goes on after what was seen. */
  variables: () => Variables;
  onMessage: (answer: Answer) => void;
  /** Changes may have been missed: read again. Never called if `resume` is given. */
  onGap?: () => void;
  /**
   * Variables by which the stream goes on after the last message, also on another socket. The
   * stream itself tells then what was missed.
   */
  resume?: () => object;
  /** The stream has an end of its own, as frames of a run do. */
  hasEnd?: boolean;
}

/** How many subscriptions are open: a test counts that they end with their page. */
export let openFollowers = 0;

/**
 * Follows a subscription until the returned function is called. It begins anew after the service
 * completes it, and after the tab was hidden for a minute.
 */
export function follow<Answer, Variables>(follower: Follower<Answer, Variables>): () => void {
  let stop: (() => void) | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let isEnded = false;
  let turn = 0;

  const noteGap = (): void => {
    if (!follower.resume) follower.onGap?.();
  };

  const start = (): void => {
    turn += 1;
    const mine = turn;
    const again = (): void => {
      if (mine !== turn || isEnded) return;
      stop = undefined;
      retry = setTimeout(
        () => {
          noteGap();
          start();
        },
        1_000 + Math.random() * 1_000,
      );
    };
    const variables = { ...follower.variables(), ...follower.resume?.() } as Record<string, unknown>;
    stop = socket().subscribe<Answer>(
      { query: String(follower.document), variables },
      {
        next: ({ data }) => {
          if (!data || mine !== turn) return;
          follower.onMessage(data);
          // After a lost connection the client sends these variables again.
          Object.assign(variables, follower.resume?.());
        },
        // An error of the operation, or a socket that was closed for good.
        error: again,
        complete: () => {
          if (follower.hasEnd && mine === turn) isEnded = true;
          else again();
        },
      },
    );
  };

  const halt = (): void => {
    turn += 1;
    clearTimeout(retry);
    stop?.();
    stop = undefined;
  };

  const unlisten = [
    onReturn(() => {
      if (!isEnded && stop) noteGap();
    }),
    onTabAway(() => {
      if (isEnded) return;
      if (isTabAway()) return halt();
      noteGap();
      start();
    }),
  ];
  openFollowers += 1;
  if (!isTabAway()) start();
  return () => {
    openFollowers -= 1;
    for (const each of unlisten) each();
    halt();
  };
}
