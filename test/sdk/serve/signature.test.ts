import { describe, expect, it } from 'vitest';
import { serve, signatureHeader, verifySignature } from '../../../sdk/src/index.ts';
import { client, invokeBody, post, secret, sign, signed } from './site.ts';

describe('a signature', () => {
  const body = invokeBody();
  const now = Date.now();
  const t = Math.floor(now / 1000);
  const good = sign(t, body);

  it.each<[string, string | null, string]>([
    ['that fits', `t=${t}&s=${good}`, 'valid'],
    ['that fits in capitals', `t=${t}&s=${good.toUpperCase()}`, 'valid'],
    ['of which one of several fits', `t=${t}&s=${sign(t, body, 'old')}&s=${good}`, 'valid'],
    ['300 s old', `t=${t - 300}&s=${sign(t - 300, body)}`, 'valid'],
    ['300 s ahead', `t=${t + 300}&s=${sign(t + 300, body)}`, 'valid'],
    ['302 s old', `t=${t - 302}&s=${sign(t - 302, body)}`, 'out of tolerance'],
    ['302 s ahead', `t=${t + 302}&s=${sign(t + 302, body)}`, 'out of tolerance'],
    ['of another body', `t=${t}&s=${sign(t, `${body} `)}`, 'mismatch'],
    ['of another secret', `t=${t}&s=${sign(t, body, 'other')}`, 'mismatch'],
    ['of another time', `t=${t - 1}&s=${good}`, 'mismatch'],
    ['cut short', `t=${t}&s=${good.slice(0, 62)}`, 'mismatch'],
    ['that is empty', `t=${t}&s=`, 'mismatch'],
    ['in no hex', `t=${t}&s=${'zz'.repeat(32)}`, 'mismatch'],
    ['without a time', `s=${good}`, 'malformed'],
    ['with a time that is no number', `t=now&s=${good}`, 'malformed'],
    ['without a signature', `t=${t}`, 'malformed'],
    ['of nonsense', 'nonsense', 'malformed'],
    ['that is absent', null, 'missing'],
  ])('%s', (_name, header, verdict) => {
    const wholeSecond = t * 1000;
    expect(verifySignature(header, Buffer.from(body), secret, wholeSecond)).toBe(verdict);
  });

  it('that is not valid is answered 401, and nothing is run', async () => {
    let ran = false;
    const hf = client();
    hf.workflow({ id: 'spy' }, () => {
      ran = true;
    });
    const handler = serve(hf);
    const spied = invokeBody('spy');
    const wrong: Record<string, string>[] = [{}, { 'x-service-signature': signatureHeader(spied, 'other') }];
    for (const headers of wrong) {
      const response = await handler(post(spied, headers));
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({ error: expect.stringContaining('signature') });
    }
    expect(ran).toBe(false);
  });

  it('covers the bytes: a body that is other than it was signed does not pass, were it but by a space', async () => {
    expect((await serve(client())(post(` ${body}`, signed(body).headers))).status).toBe(401);
  });
});
