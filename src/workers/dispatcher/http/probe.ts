import type { HttpClient } from './httpClient.ts';

export type ProbeClient = Pick<HttpClient, 'send'>;

/**
 * Whether a URL gives any HTTP answer to `HEAD`, in time. The request carries no secret; redirects
 * are not followed, and no body is read.
 */
export async function probe(client: ProbeClient, url: string, timeoutMs: number): Promise<boolean> {
  try {
    return await ask(client, url, timeoutMs);
  } catch {
    // The URL must not be called.
    return false;
  }
}

function ask(client: ProbeClient, url: string, timeoutMs: number): Promise<boolean> {
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
