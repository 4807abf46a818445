import { expect, it } from 'vitest';
import { namesOf } from './knownNames.ts';

const known = [
  { app: 'shop', name: 'ship order' },
  { app: 'desk', name: 'answer ticket' },
  { app: 'desk', name: 'ship order' },
];

it('names apps and workflows once each, sorted', () => {
  expect(namesOf(known)).toEqual({ apps: ['desk', 'shop'], workflows: ['answer ticket', 'ship order'] });
});

it('names all apps, but only the workflows of the chosen one', () => {
  expect(namesOf(known, 'shop')).toEqual({ apps: ['desk', 'shop'], workflows: ['ship order'] });
});
