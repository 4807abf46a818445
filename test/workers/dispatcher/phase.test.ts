import { describe, expect, it } from 'vitest';
import { closeReason } from '../../../src/workers/dispatcher/gateway/closing.ts';
import { PhaseTrack, phases } from '../../../src/workers/dispatcher/gateway/phase.ts';

const track = (): PhaseTrack => new PhaseTrack(() => undefined);

describe('the phase of a socket', () => {
  it('G1: only goes forward, from each phase to each', () => {
    for (const [from, first] of phases.entries()) {
      for (const [to, next] of phases.entries()) {
        const phase = track();
        phase.transition(first, 'a');
        expect(phase.transition(next, 'b')).toBe(to > from);
        expect(phase.current).toBe(to > from ? next : first);
      }
    }
  });

  it('reports each change once, with its reason', () => {
    const changes: string[] = [];
    const phase = new PhaseTrack(({ from, to, reason }) => changes.push(`${from} ${to} ${reason}`));
    phase.transition('ready', 'hello');
    phase.transition('ready', 'again');
    phase.transition('closed', 'bye');
    expect(changes).toEqual(['greeting ready hello', 'ready closed bye']);
  });

  it('G1: allows invokes only while ready, and no frame after the end', () => {
    const writableIn = (kind: Parameters<PhaseTrack['canWrite']>[0]): string[] =>
      phases.filter((each) => {
        const phase = track();
        phase.transition(each, '');
        return phase.canWrite(kind);
      });
    expect(writableIn('invoke')).toEqual(['ready']);
    expect(writableIn('ready')).toEqual(['ready']);
    expect(writableIn('ping')).toEqual(['ready', 'draining']);
    expect(writableIn('cancel')).toEqual(['ready', 'draining']);
    expect(writableIn('error')).toEqual(['greeting', 'registering', 'ready', 'draining']);
  });
});

describe('a close reason', () => {
  it('is cut to what a close frame holds, at a character', () => {
    expect(closeReason('short')).toBe('short');
    const cut = closeReason('é'.repeat(100));
    expect(Buffer.byteLength(cut)).toBe(122);
    expect(cut).toBe('é'.repeat(61));
  });
});
