import { type FunctionComponent, lazy } from 'react';

/** A page whose code is loaded when it is opened first. Its module exports the page as default. */
export const page = (load: () => Promise<{ default: FunctionComponent }>): FunctionComponent => lazy(load);
