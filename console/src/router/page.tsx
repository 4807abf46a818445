import type { FunctionComponent } from 'react';
import { type LaterPart, later } from '../design/index.ts';

/** A page whose code is loaded when it is opened first. Its module exports the page as default. */
export const page = (load: () => Promise<{ default: FunctionComponent }>): LaterPart<object> => later(load);

/** Begins to load the code of the component of a route, if it is a page. */
export function loadPage(component: unknown): void {
  if (typeof component === 'function' && 'load' in component) (component as LaterPart<object>).load();
}
