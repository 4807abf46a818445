/** What a toast tells. */
export interface ToastText {
  title: string;
  detail?: string | undefined;
  isFailure?: boolean;
}

const waiting: ToastText[] = [];
let taker: ((toast: ToastText) => void) | undefined;

/** Tells briefly what an action did. */
export function tell(title: string, { detail, isFailure }: Omit<ToastText, 'title'> = {}): void {
  const toast = { title, detail, isFailure: isFailure ?? false };
  if (taker) taker(toast);
  else waiting.push(toast);
}

/** Takes the toasts that wait, and all later ones, until the returned function is called. */
export function takeToasts(take: (toast: ToastText) => void): () => void {
  taker = take;
  for (const each of waiting.splice(0)) take(each);
  return () => {
    taker = undefined;
  };
}
