import type { AgentUnderTest } from './agentUnderTest.ts';
import { claudeCodeUnderTest } from './claudeCode.ts';

/** Every agent CLI that the conformance suite knows, in the order of its columns. */
export const agentsUnderTest: readonly AgentUnderTest[] = [claudeCodeUnderTest];
