import { type ReactNode, useState } from 'react';
import type { Act } from '../../data/queries.ts';
import { Button, Check, Confirm, serviceNow, Time } from '../../design/index.ts';
import styles from './Webhooks.module.css';

interface RotateDialogProps {
  /** The end of the present overlap, if a rotation was less than 24 hours ago. */
  previousSecretUntil: string | null | undefined;
  act: Act<{ input: { id: string; rotateSecret: true; force?: true; revokePrevious?: true } }>;
  id: string;
  onClose: () => void;
}

/** Whether the secret before the last rotation is still valid. */
export const isOverlapping = (until: string | null | undefined): until is string =>
  until != null && Date.parse(until) > serviceNow();

/** Makes a new secret. The old one stays valid for 24 hours, unless it has leaked. */
export function RotateDialog({ previousSecretUntil, act, id, onClose }: RotateDialogProps): ReactNode {
  const [isLeaked, setLeaked] = useState(false);
  const overlaps = isOverlapping(previousSecretUntil);
  return (
    <Confirm
      title="Rotate the signing secret"
      description="A new secret is generated, and shown once."
      verb={isLeaked ? 'Rotate and end the old secret' : 'Rotate'}
      keep="Keep the secret"
      kind={isLeaked ? 'danger' : 'primary'}
      act={act}
      onConfirm={() =>
        act.act({
          input: {
            id,
            rotateSecret: true,
            ...(overlaps && !isLeaked && { force: true }),
            ...(isLeaked && { revokePrevious: true }),
          },
        })
      }
      onClose={onClose}
    >
      <div className={styles['part']}>
        {overlaps && (
          <p className={styles['warning']}>
            The last rotation still overlaps, until <Time at={previousSecretUntil} form="both" />. The secret before it
            ends with this rotation.
          </p>
        )}
        <p>
          {isLeaked
            ? 'Messages that are signed with the old secret fail from now on.'
            : 'The present secret stays valid for 24 hours, so that the other side can change over.'}
        </p>
        <Check
          label="It has leaked: end the old secret at once"
          checked={isLeaked}
          onChange={(event) => setLeaked(event.target.checked)}
        />
      </div>
    </Confirm>
  );
}

interface OverlapNoteProps {
  until: string;
  refusal: string | undefined;
  isBusy: boolean;
  /** Ends the validity of the secret before the last rotation. */
  onEnd: () => void;
}

/** Tells that two secrets are valid, and ends that after a second click. */
export function OverlapNote({ until, refusal, isBusy, onEnd }: OverlapNoteProps): ReactNode {
  const [isAsking, setAsking] = useState(false);
  return (
    <div className={styles['warning']}>
      <p>
        Two secrets are valid, until <Time at={until} form="both" />: the new one and the one before the last rotation.
      </p>
      <Button refusal={refusal} onClick={() => setAsking(true)}>
        End the overlap
      </Button>
      {isAsking && (
        <Confirm
          title="End the overlap"
          description="Only the new secret is valid from now on. Whoever still uses the old one fails."
          verb="End the old secret"
          keep="Keep both"
          act={{ isBusy }}
          onConfirm={() => {
            setAsking(false);
            onEnd();
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}
