import { expect, test } from 'vitest';
import { formatEvent } from '../../src/http/sse.ts';

test('an event has its id, its name and its data on lines of their own', () => {
  expect(formatEvent({ id: '7', event: 'log', data: '{"a":1}' })).toBe('id: 7\nevent: log\ndata: {"a":1}\n\n');
});

test('data of several lines becomes several data lines, whatever breaks them', () => {
  expect(formatEvent({ event: 'e', data: 'a\nb\r\nc\rd' })).toBe('event: e\ndata: a\ndata: b\ndata: c\ndata: d\n\n');
});

test('a line break in a name or an id is refused, as it would forge a field', () => {
  expect(() => formatEvent({ event: 'a\nb', data: '' })).toThrow(TypeError);
  expect(() => formatEvent({ event: 'a', id: '1\r', data: '' })).toThrow(TypeError);
});
