import type { StdioAgent } from '../core/driver/stdio.ts';
import { stdio as claudeCode } from './claude-code/stdio.ts';

/** The agents that Nancy can talk with by lines of their own, by the drivers that speak for them. */
export const stdioAgents: Readonly<Record<string, StdioAgent>> = { 'claude-code': claudeCode };
