import { Command, InvalidArgumentError, Option } from 'commander';
import { RawJson } from '../engine/json/index.ts';

/** A command with the `--json` option. */
export const commandOf = (name: string, description: string): Command =>
  new Command(name).description(description).option('--json', 'print JSON');

/** Adds the options that delay a start, or let it expire (`timingOf`). */
export const withTiming = (command: Command): Command =>
  command
    .option('--start-at <time>', 'the earliest start, such as 2027-01-31T12:00:00Z')
    .addOption(new Option('--delay <time>', 'the delay of the start, such as 10m or 2h').conflicts('startAt'))
    .option('--ttl <time>', 'drop a run that has not begun within this time, such as 1h');

/** Parses an option that holds JSON, which is sent as it was typed. */
export function jsonText(text: string): RawJson {
  try {
    JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('It must be JSON, such as \'{"total": 5}\'.');
  }
  return RawJson.trusted(text);
}

/** Parses a repeatable option of the form key=value. */
export function keyValue(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined)
    throw new InvalidArgumentError('It must be a key and a value, such as tenant=acme.');
  return { ...before, [key]: value };
}

export function count(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1) throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return number;
}
