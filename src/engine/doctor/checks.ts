import { approvalMissing } from './invariants/approvalMissing.ts';
import { approvalOfNothing } from './invariants/approvalOfNothing.ts';
import { approvalOverdue } from './invariants/approvalOverdue.ts';
import { attemptMissing } from './invariants/attemptMissing.ts';
import { attemptsMiscounted } from './invariants/attemptsMiscounted.ts';
import { batchTooLarge } from './invariants/batchTooLarge.ts';
import { budgetHeldTooLong } from './invariants/budgetHeldTooLong.ts';
import { budgetIgnored } from './invariants/budgetIgnored.ts';
import { budgetMissed } from './invariants/budgetMissed.ts';
import { bufferMiscounted } from './invariants/bufferMiscounted.ts';
import { bufferOverdue } from './invariants/bufferOverdue.ts';
import { callMissing } from './invariants/callMissing.ts';
import { callOfNobody } from './invariants/callOfNobody.ts';
import { callOfNothing } from './invariants/callOfNothing.ts';
import { capPassed } from './invariants/capPassed.ts';
import { ceilingPassed } from './invariants/ceilingPassed.ts';
import type { Check } from './invariants/check.ts';
import { cronFiredTwice } from './invariants/cronFiredTwice.ts';
import { cronOverdue } from './invariants/cronOverdue.ts';
import { decisionWithoutMemo } from './invariants/decisionWithoutMemo.ts';
import { dedupedTwice } from './invariants/dedupedTwice.ts';
import { deliveryMissing } from './invariants/deliveryMissing.ts';
import { deliveryOfNoSender } from './invariants/deliveryOfNoSender.ts';
import { deliveryOfNothing } from './invariants/deliveryOfNothing.ts';
import { deliveryTwice } from './invariants/deliveryTwice.ts';
import { deliveryWithoutWork } from './invariants/deliveryWithoutWork.ts';
import { endedTwice } from './invariants/endedTwice.ts';
import { eventPendingTooLong } from './invariants/eventPendingTooLong.ts';
import { eventSeqAgainstHead } from './invariants/eventSeqAgainstHead.ts';
import { eventUnnumbered } from './invariants/eventUnnumbered.ts';
import { frameMissing } from './invariants/frameMissing.ts';
import { gatedAndForgotten } from './invariants/gatedAndForgotten.ts';
import { idleInTransaction } from './invariants/idleInTransaction.ts';
import { journalAgainstRun } from './invariants/journalAgainstRun.ts';
import { leaseOfNobody } from './invariants/leaseOfNobody.ts';
import { logUnsearched } from './invariants/logUnsearched.ts';
import { memoWithoutDecision } from './invariants/memoWithoutDecision.ts';
import { messageAttemptMissing } from './invariants/messageAttemptMissing.ts';
import { messageWithoutEvent } from './invariants/messageWithoutEvent.ts';
import { openRunWithoutWork } from './invariants/openRunWithoutWork.ts';
import { openStepOfEndedRun } from './invariants/openStepOfEndedRun.ts';
import { parkedForNothing } from './invariants/parkedForNothing.ts';
import { readyAndIgnored } from './invariants/readyAndIgnored.ts';
import { runOfMissingEvent } from './invariants/runOfMissingEvent.ts';
import { sendOfNobody } from './invariants/sendOfNobody.ts';
import { seqAgainstJournal } from './invariants/seqAgainstJournal.ts';
import { slotOverfull } from './invariants/slotOverfull.ts';
import { startExpired } from './invariants/startExpired.ts';
import { startedRunMissing } from './invariants/startedRunMissing.ts';
import { startedTwice } from './invariants/startedTwice.ts';
import { statusAgainstWork } from './invariants/statusAgainstWork.ts';
import { stepRanAfterItsEnd } from './invariants/stepRanAfterItsEnd.ts';
import { stepSucceededTwice } from './invariants/stepSucceededTwice.ts';
import { strandedForEver } from './invariants/strandedForEver.ts';
import { timerEarly } from './invariants/timerEarly.ts';
import { timerForgotten } from './invariants/timerForgotten.ts';
import { timerOverdue } from './invariants/timerOverdue.ts';
import { transitionNotAllowed } from './invariants/transitionNotAllowed.ts';
import { usageMissing } from './invariants/usageMissing.ts';
import { usageOfNothing } from './invariants/usageOfNothing.ts';
import { waitMissing } from './invariants/waitMissing.ts';
import { waitOfEndedRun } from './invariants/waitOfEndedRun.ts';
import { wokeMiscounted } from './invariants/wokeMiscounted.ts';
import { wokenUncounted } from './invariants/wokenUncounted.ts';
import { workOfEndedRun } from './invariants/workOfEndedRun.ts';
import { workOfSettledDelivery } from './invariants/workOfSettledDelivery.ts';

/** All checks of the doctor, by invariant. */
export const checks: readonly Check[] = [
  startedRunMissing,
  runOfMissingEvent,
  eventUnnumbered,
  dedupedTwice,
  startedTwice,
  workOfEndedRun,
  openRunWithoutWork,
  statusAgainstWork,
  leaseOfNobody,
  parkedForNothing,
  strandedForEver,
  readyAndIgnored,
  gatedAndForgotten,
  stepSucceededTwice,
  stepRanAfterItsEnd,
  attemptMissing,
  transitionNotAllowed,
  endedTwice,
  openStepOfEndedRun,
  deliveryMissing,
  deliveryTwice,
  deliveryOfNothing,
  timerOverdue,
  startExpired,
  timerForgotten,
  timerEarly,
  approvalOverdue,
  eventPendingTooLong,
  logUnsearched,
  waitOfEndedRun,
  waitMissing,
  wokeMiscounted,
  wokenUncounted,
  bufferOverdue,
  bufferMiscounted,
  batchTooLarge,
  capPassed,
  budgetMissed,
  budgetIgnored,
  budgetHeldTooLong,
  slotOverfull,
  ceilingPassed,
  decisionWithoutMemo,
  memoWithoutDecision,
  approvalMissing,
  approvalOfNothing,
  attemptsMiscounted,
  deliveryWithoutWork,
  workOfSettledDelivery,
  deliveryOfNoSender,
  messageWithoutEvent,
  messageAttemptMissing,
  frameMissing,
  journalAgainstRun,
  seqAgainstJournal,
  eventSeqAgainstHead,
  usageMissing,
  usageOfNothing,
  cronFiredTwice,
  cronOverdue,
  idleInTransaction,
  callMissing,
  callOfNothing,
  callOfNobody,
  sendOfNobody,
];
