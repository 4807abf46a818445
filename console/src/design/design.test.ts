import { describe, expect, it } from 'vitest';
import { bytesText, durationText, instantText, relativeText, windowText } from './formatTime.ts';
import { runStatuses, statusLook } from './statusPalette.ts';
import { visibleText, webAddress } from './visibleText.ts';

describe('durations and instants', () => {
  it('are short, and keep two units', () => {
    const texts = [0, 840, 3_240, 42_000, 245_000, 7_800_000, 273_600_000].map(durationText);
    expect(texts).toEqual(['0 ms', '840 ms', '3.2 s', '42 s', '4 m 05 s', '2 h 10 m', '3 d 4 h']);
  });

  it('tell past from future', () => {
    expect(relativeText(1_000, 1_400)).toBe('now');
    expect(relativeText(0, 180_000)).toBe('3 m ago');
    expect(relativeText(7_200_000, 0)).toBe('in 2 h');
  });

  it('name the year if it is another one', () => {
    const at = Date.parse('2025-03-01T04:05:06Z');
    expect(instantText(at, 'utc', at)).toBe('1 Mar, 04:05:06');
    expect(instantText(at, 'utc', Date.parse('2026-01-01T00:00:00Z'))).toBe('1 Mar 2025, 04:05:06');
  });

  it('count bytes', () => {
    expect([12, 3400, 1_250_000].map(bytesText)).toEqual(['12 B', '3.4 kB', '1.3 MB']);
  });
});

describe('statuses', () => {
  it('differ without colour: no two statuses of runs share tone and pattern', () => {
    const looks = runStatuses.map((status) => `${statusLook(status).tone} ${statusLook(status).pattern}`);
    expect(new Set(looks).size).toBe(runStatuses.length);
  });

  it('of a newer service show their own name', () => {
    expect(statusLook('HELD_BACK')).toEqual({ label: 'Held back', tone: 'idle', pattern: 'solid' });
    expect(statusLook('constructor').label).toBe('Constructor');
  });
});

describe('texts of strangers', () => {
  it('show characters that deceive or vanish', () => {
    expect(visibleText('a\u202eb')).toBe('a‹U+202E›b');
    expect(visibleText('x\u0000\u200b\u001b[31m')).toBe('x‹U+0000›‹U+200B›‹U+001B›[31m');
    expect(visibleText('\ud800')).toBe('‹U+D800›');
  });

  it('keep all other characters, and whole emoji', () => {
    expect(visibleText('Zürich – 東京 😀')).toBe('Zürich – 東京 😀');
  });

  it('become links only as addresses of the web', () => {
    expect(webAddress('https://a.example/x')).toBe('https://a.example/x');
    for (const text of [
      'javascript:alert(1)',
      ' JaVaScRiPt:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'file:///x',
      'x',
    ]) {
      expect(webAddress(text)).toBeUndefined();
    }
  });
});

it('a window is told without a rest of zero', () => {
  expect([86_400_000, 5_400_000, 3_600_000, 30_000].map(windowText)).toEqual(['1 d', '1 h 30 m', '1 h', '30 s']);
});
