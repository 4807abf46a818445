export { asDecimal, noSpend, type SpendSum } from './budget.ts';
export { type BudgetCheck, checkBudgets } from './checkBudgets.ts';
export { holdStarts } from './holdRuns.ts';
export { type BudgetState, readBudgets } from './readBudgets.ts';
export { countBudgets } from './sql/countBudgets.ts';
