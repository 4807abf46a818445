import { approval } from './approval.ts';
import { emit } from './emit.ts';
import { infer } from './infer.ts';
import { failedStep, type OpcodeEffect, type OpcodeInput } from './opcode.ts';
import { runWorkflow } from './runWorkflow.ts';
import { score } from './score.ts';
import { sleep, sleepUntil } from './sleep.ts';
import { stepRun } from './stepRun.ts';
import { waitForEvent } from './waitForEvent.ts';
import { webhook } from './webhook.ts';

export type { OpcodeEffect, OpcodeInput } from './opcode.ts';

/** Executes one opcode (4.10). An unknown opcode fails its step. */
export function execute(input: OpcodeInput, app: string): OpcodeEffect {
  switch (input.op) {
    case 'StepRun':
      return stepRun(input);
    case 'Sleep':
      return sleep(input);
    case 'SleepUntil':
      return sleepUntil(input);
    case 'WaitForEvent':
      return waitForEvent(input);
    case 'Emit':
      return emit(input, app);
    case 'RunWorkflow':
      return runWorkflow(input);
    case 'Approval':
      return approval(input);
    case 'Infer':
      return infer(input);
    case 'Score':
      return score(input);
    case 'Webhook':
      return webhook(input);
    default:
      return failedStep(input, `unsupported opcode ${JSON.stringify(input.op)}`, 'UnsupportedOpcodeError');
  }
}
