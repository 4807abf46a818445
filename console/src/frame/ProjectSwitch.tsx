import { ChevronsUpDown } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { graphql } from '../data/graphql.ts';
import { useRead } from '../data/queries.ts';
import { asRequestError } from '../data/requestError.ts';
import { Answer, Button, Dialog, Field, visibleText } from '../design/index.ts';
import { useNavigateTo } from '../router/useNavigateTo.ts';
import { switchProject, useSession } from '../session/session.ts';
import styles from './ProjectSwitch.module.css';

const projectsDocument = graphql(`
  query SwitchableProjects {
    projects(limit: 200) {
      id
      name
      suspended
    }
  }
`);

/** Chooses the project for which an operator or a platform key acts. */
export function ProjectSwitch(): ReactNode {
  const { viewer } = useSession();
  const [isOpen, setOpen] = useState(false);
  const [named, setNamed] = useState('');
  const [error, setError] = useState<string>();
  const goTo = useNavigateTo();
  const enter = (project: string): void => {
    setError(undefined);
    switchProject(project)
      .then(() => {
        setOpen(false);
        goTo(project, ['runs']);
      })
      .catch((reason: unknown) => setError(asRequestError(reason).message));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    enter(named.trim());
  };
  return (
    <>
      <Button icon={ChevronsUpDown} onClick={() => setOpen(true)} className={styles['switch']}>
        {viewer?.project ? visibleText(viewer.project.name) : 'Choose a project'}
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="Project">
        <form onSubmit={submit} className={styles['form']}>
          <Field
            label="Id or name"
            value={named}
            error={error}
            onChange={(event) => setNamed(event.target.value)}
            autoFocus
          />
          <Button kind="primary" type="submit">
            Open
          </Button>
        </form>
        {viewer?.kind === 'OPERATOR' && <Projects onChoose={enter} />}
      </Dialog>
    </>
  );
}

function Projects({ onChoose }: { onChoose: (name: string) => void }): ReactNode {
  const read = useRead(projectsDocument, {});
  return (
    <Answer read={read}>
      {({ projects }) => (
        <ul className={styles['list']}>
          {projects.map(({ id, name, suspended }) => (
            <li key={id}>
              <Button kind="quiet" className={styles['entry']} onClick={() => onChoose(name)}>
                {visibleText(name)}
                {suspended && ' (suspended)'}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Answer>
  );
}
