import type { TranscriptFormat } from '../../core/driver.ts';

export const transcript: TranscriptFormat | 'none' = 'none';
