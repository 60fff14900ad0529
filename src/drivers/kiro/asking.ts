import type { Asking } from '../../core/driver/asking.ts';
import { asking as talked } from '../acp/asking.ts';

/** Nothing is known of its questions but the protocol. */
export const asking: Asking = talked;
