import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { withoutQuery } from './engine/net/index.ts';
import type { Settings } from './settings.ts';

export interface LogOutput {
  stream: DestinationStream;
  isTerminal: boolean;
  hasColors: boolean;
}

/**
 * The log of a process. LOG_FORMAT sets its format; default: readable lines on a terminal, else
 * JSON lines. Each line is written before the call returns, so a crash loses none.
 */
export function createLog(
  { logLevel, logFormat }: Pick<Settings, 'logLevel' | 'logFormat'>,
  output: LogOutput,
): Logger {
  const { stream, isTerminal, hasColors } = output;
  const format = logFormat ?? (isTerminal ? 'pretty' : 'json');
  const { err } = stdSerializers;
  const serializers = { err, error: err, url: shownUrl, runner: shownUrl, runnerId: shownUrl };
  return pino({ level: logLevel, serializers }, format === 'json' ? stream : prettyStream(stream, hasColors));
}

/** A runner's URL is its id if it registered without one, and its query may hold a secret. */
const shownUrl = (value: unknown): unknown => (typeof value === 'string' ? withoutQuery(value) : value);

function prettyStream(stream: DestinationStream, colorize: boolean): DestinationStream {
  const toText = prettyFactory({ colorize, singleLine: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l' });
  return { write: (line) => stream.write(toText(JSON.parse(line, withoutControls))) };
}

/**
 * Replaces control characters, which could control the terminal: names and messages come from
 * callers.
 */
const withoutControls = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/[^\P{Control}\n\t]/gu, '?') : value;
