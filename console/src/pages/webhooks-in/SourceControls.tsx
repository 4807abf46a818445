import { Ellipsis, KeyRound, Pencil, Power, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useAct } from '../../data/queries.ts';
import { explain } from '../../data/requestError.ts';
import { Button, Dialog, Menu, TroubleNote, visibleText } from '../../design/index.ts';
import { useGo } from '../../router/PageLink.tsx';
import { useRefusal } from '../../session/rights.ts';
import { isOverlapping, OverlapNote, RotateDialog } from '../webhooks/RotateDialog.tsx';
import { SigningSecret } from '../webhooks/SigningSecret.tsx';
import type { Source } from './SourcePage.tsx';
import { deleteSourceDocument, sourceDocument, sourcesDocument, updateSourceDocument } from './sourcesDocuments.ts';

const refreshes = [sourceDocument, sourcesDocument] as never;

/** Edit, enable or disable, rotate, delete. */
export function SourceControls({ source }: { source: Source }): ReactNode {
  const [open, setOpen] = useState<'rotate' | 'delete'>();
  const [secret, setSecret] = useState<string>();
  const go = useGo();
  const write = useRefusal('write');
  const close = (): void => setOpen(undefined);
  const toggle = useAct(updateSourceDocument, {
    refreshes,
    done: ({ updateWebhookSource }) => (updateWebhookSource?.webhookSource.enabled ? 'Enabled' : 'Disabled'),
  });
  const rotate = useAct(updateSourceDocument, {
    refreshes,
    isQuiet: true,
    onDone: ({ updateWebhookSource }) => {
      close();
      setSecret(updateWebhookSource?.secret ?? undefined);
    },
  });
  return (
    <>
      <Button icon={Pencil} refusal={write} onClick={() => go(['webhooks', 'sources', source.id, 'edit'])}>
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
            label: source.enabled ? 'Disable' : 'Enable',
            icon: Power,
            refusal: write,
            onSelect: () => toggle.act({ input: { id: source.id, enabled: !source.enabled } }),
          },
          { label: 'Rotate the secret…', icon: KeyRound, refusal: write, onSelect: () => setOpen('rotate') },
          { label: 'Delete…', icon: Trash2, isDanger: true, refusal: write, onSelect: () => setOpen('delete') },
        ]}
      />
      {open === 'rotate' && (
        <RotateDialog
          id={source.id}
          previousSecretUntil={source.previousSecretUntil}
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
          signer="sender"
          onStored={() => {
            rotate.reset();
            setSecret(undefined);
          }}
        />
      )}
      {open === 'delete' && <DeleteDialog source={source} onClose={close} />}
    </>
  );
}

/** Shown while two secrets are valid. */
export function SourceOverlap({ source }: { source: Source }): ReactNode {
  const write = useRefusal('write');
  const end = useAct(updateSourceDocument, { refreshes, done: () => 'Only the new secret is valid' });
  if (!isOverlapping(source.previousSecretUntil)) return null;
  return (
    <OverlapNote
      until={source.previousSecretUntil}
      refusal={write}
      isBusy={end.isBusy}
      onEnd={() => end.act({ input: { id: source.id, revokePrevious: true } })}
    />
  );
}

function DeleteDialog({ source, onClose }: { source: Source; onClose: () => void }): ReactNode {
  const go = useGo();
  const remove = useAct(deleteSourceDocument, {
    refreshes: [sourcesDocument] as never,
    isQuiet: true,
    done: () => 'Deleted',
    onDone: () => go(['webhooks', 'sources']),
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Delete “${visibleText(source.name ?? source.eventName)}”?`}
      description="Its address answers 404 from now on. Its past messages stay until their time has passed."
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button kind="danger" isBusy={remove.isBusy} onClick={() => remove.act({ input: { id: source.id } })}>
            Delete the source
          </Button>
        </>
      }
    >
      {remove.error && <TroubleNote trouble={explain(remove.error)} isNarrow />}
    </Dialog>
  );
}
