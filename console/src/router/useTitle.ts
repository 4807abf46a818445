import { useEffect } from 'react';

/** Names the page in the tab. Titles never hold payloads or keys. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Holdfast`;
  }, [title]);
}
