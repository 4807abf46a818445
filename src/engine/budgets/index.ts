export { asDecimal } from './budget.ts';
export { type BudgetCheck, checkBudgets } from './checkBudgets.ts';
export { type BudgetedStart, holdStarts } from './holdRuns.ts';
export { type BudgetState, readBudgets } from './readBudgets.ts';
export { type BudgetFigures, countBudgets } from './sql/countBudgets.ts';
