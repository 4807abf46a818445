import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** The fields of GitHub's `pull_request` webhook that the example uses. */
export interface PullRequestPayload {
  action: string;
  number: number;
  pull_request: {
    title: string;
    body: string | null;
    draft: boolean;
    merged: boolean;
    additions: number;
    deletions: number;
    changed_files: number;
    created_at: string;
    closed_at: string | null;
    user: { login: string };
    requested_reviewers: { login?: string }[];
  };
  repository: { full_name: string; owner: { login: string } };
}

interface ExampleFile {
  name: string;
  examples: PullRequestPayload[];
}

/** Real `pull_request` webhooks of GitHub, from the package `@octokit/webhooks-examples`. */
export async function pullRequestPayloads(): Promise<PullRequestPayload[]> {
  const path = createRequire(import.meta.url).resolve('@octokit/webhooks-examples');
  const files: ExampleFile[] = JSON.parse(await readFile(path, 'utf8'));
  return files.filter(({ name }) => name === 'pull_request').flatMap(({ examples }) => examples);
}
