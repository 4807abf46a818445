import { expect, test } from 'vitest';
import { Origins } from '../../src/http/index.ts';

const origins = new Origins({
  publicUrl: 'https://flows.example.com/base',
  allowed: ['https://console.example.com', 'http://localhost:3000/'],
});
const isForeign = (origin: string | undefined, host: string | undefined = '127.0.0.1:4400'): boolean =>
  origins.isForeign({ headers: { origin, host } });

test('a caller without an origin is no page', () => {
  expect(isForeign(undefined)).toBe(false);
});

test.each([
  ['http://127.0.0.1:4400', '127.0.0.1:4400'],
  ['https://api.example.com', 'api.example.com:443'],
  ['http://API.example.com:80', 'api.example.com'],
  ['http://[::1]:4400', '[::1]:4400'],
  ['https://flows.example.com', '127.0.0.1:4400'],
  ['https://console.example.com', '127.0.0.1:4400'],
  ['http://localhost:3000', '127.0.0.1:4400'],
])('a page of %s may call %s', (origin, host) => {
  expect(isForeign(origin, host)).toBe(false);
});

test.each([
  'https://evil.example.com',
  'https://flows.example.com.evil.com',
  'http://127.0.0.1:4401',
  'http://console.example.com',
  'http://localhost',
  'null',
  '',
  'file://',
])('a page of %s is foreign', (origin) => {
  expect(isForeign(origin)).toBe(true);
});

test('a page is foreign to a caller without a host', () => {
  expect(new Origins().isForeign({ headers: { origin: 'http://x' } })).toBe(true);
});
