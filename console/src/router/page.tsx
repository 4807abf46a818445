import type { FunctionComponent } from 'react';
import { later, Skeleton } from '../design/index.ts';

/** A page, whose code may be loaded before it is opened. */
type Page = FunctionComponent & { load: () => void };

/** A page whose code is loaded when it is opened first. Its module exports the page as default. */
export function page(load: () => Promise<{ default: FunctionComponent }>): Page {
  const Part = later(load);
  return Object.assign(() => <Part meanwhile={<Skeleton />} />, { load: Part.load });
}

/** Begins to load the code of the component of a route, if it is a page. */
export function loadPage(component: unknown): void {
  if (typeof component === 'function' && 'load' in component) (component as Page).load();
}
