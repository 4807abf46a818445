import { Ellipsis, KeyRound, Pencil, Power, Trash2 } from 'lucide-react';
import { type ComponentProps, type ReactNode, useState } from 'react';
import type { Act } from '../../data/queries.ts';
import { Button, Confirm, Menu } from '../../design/index.ts';
import { useGo } from '../../router/PageLink.tsx';
import { useRefusal } from '../../session/rights.ts';
import { isOverlapping, OverlapNote, RotateDialog } from './RotateDialog.tsx';
import { SigningSecret } from './SigningSecret.tsx';

/** An endpoint or a source. */
interface Signed {
  id: string;
  enabled: boolean;
  previousSecretUntil?: string | null | undefined;
}

interface WebhookControlsProps {
  of: Signed;
  /** The list to which it belongs: its pages are below. */
  list: readonly string[];
  signer: ComponentProps<typeof SigningSecret>['signer'];
  toggle: Act<{ input: { id: string; enabled: boolean } }>;
  rotate: ComponentProps<typeof RotateDialog>['act'];
  /** The new secret, which is shown until it is stored. */
  secret: string | null | undefined;
  onStored: () => void;
  /** The texts and the mutation of the dialog that deletes it. */
  deletion: {
    title: string;
    description: string;
    /** The text of the button that deletes. */
    label: string;
    remove: Act<{ input: { id: string } }>;
  };
}

/** Edit, enable or disable, rotate, delete. */
export function WebhookControls(props: WebhookControlsProps): ReactNode {
  const { of, list, signer, toggle, rotate, secret, onStored, deletion } = props;
  const [open, setOpen] = useState<'rotate' | 'delete'>();
  const go = useGo();
  const write = useRefusal('write');
  const close = (): void => setOpen(undefined);
  return (
    <>
      <Button icon={Pencil} refusal={write} onClick={() => go([...list, of.id, 'edit'])}>
        Edit
      </Button>
      <Menu
        align="end"
        trigger={
          <Button icon={Ellipsis} isIconOnly>
            More
          </Button>
        }
        entries={[
          {
            label: of.enabled ? 'Disable' : 'Enable',
            icon: Power,
            refusal: write,
            onSelect: () => toggle.act({ input: { id: of.id, enabled: !of.enabled } }),
          },
          { label: 'Rotate the secret…', icon: KeyRound, refusal: write, onSelect: () => setOpen('rotate') },
          { label: 'Delete…', icon: Trash2, isDanger: true, refusal: write, onSelect: () => setOpen('delete') },
        ]}
      />
      {open === 'rotate' && !secret && (
        <RotateDialog
          id={of.id}
          previousSecretUntil={of.previousSecretUntil}
          act={rotate}
          onClose={() => {
            rotate.reset();
            close();
          }}
        />
      )}
      {secret && (
        <SigningSecret
          secret={secret}
          signer={signer}
          onStored={() => {
            rotate.reset();
            close();
            onStored();
          }}
        />
      )}
      {open === 'delete' && (
        <Confirm
          title={deletion.title}
          description={deletion.description}
          verb={deletion.label}
          keep="Keep it"
          act={deletion.remove}
          onConfirm={() => deletion.remove.act({ input: { id: of.id } })}
          onClose={() => {
            deletion.remove.reset();
            close();
          }}
        />
      )}
    </>
  );
}

interface OverlapProps {
  of: Signed;
  end: Act<{ input: { id: string; revokePrevious: true } }>;
}

/** Shown while two secrets are valid. */
export function WebhookOverlap({ of, end }: OverlapProps): ReactNode {
  const write = useRefusal('write');
  if (!isOverlapping(of.previousSecretUntil)) return null;
  return (
    <OverlapNote
      until={of.previousSecretUntil}
      refusal={write}
      isBusy={end.isBusy}
      onEnd={() => end.act({ input: { id: of.id, revokePrevious: true } })}
    />
  );
}
