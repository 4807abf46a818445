import type { Browser } from 'playwright-core';
import type { Stage } from '../stage.ts';
import type { Bar } from './bar.ts';

export interface SceneOptions {
  stage: Stage;
  browser: Browser;
  /** Ended runs of the last month that the service has. */
  runs: number;
  /** How often each page is opened. The median counts. */
  times: number;
  /** How long the list is watched, in seconds. */
  seconds: number;
  /** How long a page stays open, in hours. */
  hours: number;
  /** How many times faster these hours pass for the page. */
  lapse: number;
}

/** A part of section 4 of the console's design: what a person meets, and its bars. */
export interface Scene {
  name: string;
  /** The scene needs the history of `runs`. */
  needsHistory: boolean;
  /** The scene takes hours, and is measured only when it is named. */
  isLong?: boolean;
  measure: (options: SceneOptions) => Promise<Bar[]>;
}
