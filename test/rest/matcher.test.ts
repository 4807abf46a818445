import { expect, test } from 'vitest';
import { Matcher } from '../../src/rest/matcher.ts';

const route = (line: string): { method: string; path: string } => {
  const [method = '', path = ''] = line.split(' ');
  return { method, path };
};

const matcher = new Matcher(
  [
    'GET /runs',
    'GET /things',
    'POST /things',
    'GET /runs/{id}',
    'GET /runs/stream',
    'POST /runs/{id}/cancel',
    'POST /runs/bulk-cancel',
    'POST /apps/{app}/{name}/go',
  ].map(route),
);

const found = (method: string, path: string): string | undefined => {
  const match = matcher.find(method, path);
  return match && [match.route.path, ...Object.values(match.path)].join(' ');
};

test('a fixed segment wins over a parameter', () => {
  expect(found('GET', '/runs/stream')).toBe('/runs/stream');
  expect(found('GET', '/runs/x')).toBe('/runs/{id} x');
});

test('a path with a fixed segment takes the methods of that path only', () => {
  expect(() => found('GET', '/runs/bulk-cancel')).toThrow(
    expect.objectContaining({ status: 405, headers: { allow: 'POST' } }),
  );
  expect(found('POST', '/runs/stream/cancel')).toBe('/runs/{id}/cancel stream');
});

test('parameters are decoded after the path was split, so that a name may hold a slash', () => {
  expect(found('POST', '/apps/a%2Fb/%C3%A9/go')).toBe('/apps/{app}/{name}/go a/b é');
});

test('a wrong method answers 405 with every method of the path', () => {
  expect(() => matcher.find('DELETE', '/things')).toThrow(
    expect.objectContaining({ status: 405, headers: { allow: 'GET, HEAD, POST' } }),
  );
});

test('HEAD finds what GET finds, and a trailing slash changes nothing', () => {
  expect(found('HEAD', '/runs/')).toBe('/runs');
});

test('an unknown path and an empty segment lead nowhere', () => {
  expect(found('GET', '/nothing')).toBeUndefined();
  expect(found('GET', '//runs')).toBeUndefined();
  expect(found('POST', '/runs//cancel')).toBeUndefined();
});

test('a name with U+0000 is a name like any other, that nothing has', () => {
  expect(found('GET', '/runs/%00')).toBe('/runs/{id} \0');
});

test('a path that is not percent-encoded UTF-8 is refused', () => {
  expect(() => found('GET', '/runs/%FF')).toThrow(expect.objectContaining({ status: 400 }));
});

test('two routes of one method and path are a mistake', () => {
  expect(() => new Matcher([route('GET /a'), route('GET /a')])).toThrow('two routes for GET /a');
});
