import { type KeyboardEvent, type ReactNode, useDeferredValue, useId, useState } from 'react';
import { graphql } from '../data/graphql.ts';
import { useRead } from '../data/queries.ts';
import { Dialog, visibleText } from '../design/index.ts';
import { useGo } from '../router/PageLink.tsx';
import { useNavigation } from './Navigation.tsx';
import styles from './Search.module.css';
import { idIn, type Target, targetsById, targetsByText } from './searchTargets.ts';

const byIdDocument = graphql(`
  query FindById($id: ID!) {
    run(id: $id) {
      id
      app
      workflow
      status
    }
    event(id: $id) {
      id
      name
      app
    }
    approval(id: $id) {
      id
      tool
      status
    }
    webhookDelivery(id: $id) {
      id
      url
    }
    webhookSourceDelivery(id: $id) {
      id
    }
  }
`);

const workflowsDocument = graphql(`
  query FindWorkflows {
    workflowPage(first: 200) {
      nodes {
        app
        name
      }
    }
  }
`);

/** Finds an id of anything, or a page or a workflow by its name. */
export function Search({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }): ReactNode {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Find" size="small">
      {isOpen && <SearchBox onClose={onClose} />}
    </Dialog>
  );
}

function SearchBox({ onClose }: { onClose: () => void }): ReactNode {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const go = useGo();
  const listId = useId();
  const { targets, isSearching } = useTargets(text);
  const index = Math.min(chosen, targets.length - 1);
  const open = (target: Target | undefined): void => {
    if (!target) return;
    onClose();
    go(target.to, target.search);
  };
  const onKey = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((index + step + targets.length) % Math.max(1, targets.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      open(targets[index]);
    }
  };
  return (
    <>
      <input
        className={styles['input']}
        role="combobox"
        aria-label="An id, or a name"
        aria-expanded={targets.length > 0}
        aria-controls={listId}
        aria-activedescendant={targets.length > 0 ? `${listId}-${index}` : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder="Paste an id, or type a name"
        value={text}
        onKeyDown={onKey}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
      />
      <div id={listId} role="listbox" aria-label="Found" className={styles['list']}>
        {targets.map((target, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the input.
          <div
            key={`${target.label} ${target.detail}`}
            id={`${listId}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === index}
            className={styles['target']}
            onMouseMove={() => setChosen(at)}
            onClick={() => open(target)}
          >
            <span className={styles['label']}>{visibleText(target.label)}</span>
            <span className={styles['detail']}>{visibleText(target.detail)}</span>
          </div>
        ))}
      </div>
      <p role="status" className={styles['note']}>
        {targets.length === 0 && (isSearching ? 'Searching…' : 'Nothing in this project has this id.')}
      </p>
    </>
  );
}

function useTargets(text: string): { targets: Target[]; isSearching: boolean } {
  const settled = useDeferredValue(text);
  const id = idIn(settled);
  const byId = useRead(byIdDocument, { id: id ?? '' }, { isEnabled: id !== undefined });
  const workflows = useRead(workflowsDocument, {}, { isEnabled: id === undefined });
  const pages = useNavigation().flatMap(({ entries }) => entries);
  if (id !== undefined) {
    const isAnswered = byId.data !== undefined && !byId.isOld;
    return {
      targets: isAnswered && byId.data ? targetsById(byId.data) : [],
      isSearching: !isAnswered && !byId.trouble,
    };
  }
  return {
    targets: targetsByText(settled, { pages, workflows: workflows.data?.workflowPage.nodes ?? [] }),
    isSearching: false,
  };
}
