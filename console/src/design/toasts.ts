/** What a toast tells. A failure stays until it is closed. */
export interface ToastText {
  title: string;
  detail?: string | undefined;
  isFailure?: boolean;
}

const waiting: ToastText[] = [];
let taker: ((toast: ToastText) => void) | undefined;
let onFirst: (() => void) | undefined;

/** Tells briefly what an action did. */
export function tell(title: string, { detail, isFailure }: Omit<ToastText, 'title'> = {}): void {
  const toast = { title, detail, isFailure: isFailure ?? false };
  if (taker) taker(toast);
  else waiting.push(toast);
  onFirst?.();
}

/** Takes the toasts that wait, and all later ones, until the returned function is called. */
export function takeToasts(take: (toast: ToastText) => void): () => void {
  taker = take;
  for (const each of waiting.splice(0)) take(each);
  return () => {
    taker = undefined;
  };
}

/** Registers what to do when the first toast comes. */
export function onFirstToast(listener: () => void): () => void {
  onFirst = listener;
  if (waiting.length > 0) listener();
  return () => {
    onFirst = undefined;
  };
}
