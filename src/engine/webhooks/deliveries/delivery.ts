import { type LifecycleKind, lifecycleKinds } from '../../lifecycle/index.ts';

/** 3.3. `delivering` is not stored: readers see it while the delivery's work has a lease. */
export const deliveryStatuses = ['pending', 'delivering', 'succeeded', 'failed', 'exhausted', 'dead'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export const storedStatuses = ['pending', 'succeeded', 'failed', 'exhausted', 'dead'] as const;
export type StoredStatus = (typeof storedStatuses)[number];

/** 2.9 `eventKind` */
export const deliveryKinds = [...lifecycleKinds, 'custom'] as const;
export type DeliveryKind = LifecycleKind | 'custom';
