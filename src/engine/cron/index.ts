export { checkCron, nextFire } from './cron.ts';
