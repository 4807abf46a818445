import type { HttpClient } from './httpClient.ts';

/** Whether a URL gives any HTTP answer to `HEAD`, in time. Carries no secret, follows no redirect, reads no body. */
export function probe(client: HttpClient, url: string, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = client.send({
      method: 'HEAD',
      url,
      headers: {},
      onResponse: (response) => {
        response.resume();
        finish(true);
      },
      onError: () => finish(false),
    });
    const timer = setTimeout(() => {
      request.destroy();
      finish(false);
    }, timeoutMs);
    const finish = (isThere: boolean): void => {
      clearTimeout(timer);
      resolve(isThere);
    };
  });
}
