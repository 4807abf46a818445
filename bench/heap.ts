// The heap of a process that was started with `inspectEnv`, over the protocol of its inspector.

import { WebSocket } from 'ws';

/** The settings with which a process lets its heap be measured. */
export const inspectEnv = (port: number): Record<string, string> => ({ NODE_OPTIONS: `--inspect=127.0.0.1:${port}` });

/** The bytes that live in the heap of the process, and in its buffers, after a collection. */
export async function liveBytes(port: number): Promise<number> {
  const targets = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
  const socket = new WebSocket(targets[0].webSocketDebuggerUrl);
  try {
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    await send(socket, 'HeapProfiler.enable');
    for (let turn = 0; turn < 3; turn += 1) await send(socket, 'HeapProfiler.collectGarbage');
    const { usedSize, backingStorageSize = 0 } = await send(socket, 'Runtime.getHeapUsage');
    return Number(usedSize) + Number(backingStorageSize);
  } finally {
    socket.close();
  }
}

let lastId = 0;

function send(socket: WebSocket, method: string): Promise<Record<string, unknown>> {
  lastId += 1;
  const id = lastId;
  return new Promise((resolve) => {
    const listen = (data: unknown): void => {
      const message = JSON.parse(String(data));
      if (message.id !== id) return;
      socket.off('message', listen);
      resolve(message.result);
    };
    socket.on('message', listen);
    socket.send(JSON.stringify({ id, method }));
  });
}
