import { claudeCodeUnderTest } from './claudeCode.ts';
import { codexUnderTest } from './codex.ts';
import { copilotUnderTest } from './copilot.ts';
import { geminiUnderTest } from './gemini.ts';
import { opencodeUnderTest } from './opencode.ts';
import { driverById } from '../../../src/drivers/index.ts';
import type { AgentUnderTest } from './agentUnderTest.ts';

const all: readonly AgentUnderTest[] = [
	claudeCodeUnderTest,
	copilotUnderTest,
	codexUnderTest,
	geminiUnderTest,
	opencodeUnderTest,
];

/** Every agent CLI that Nancy has a driver for, in the order of the matrix's columns. */
export const agentsUnderTest: readonly AgentUnderTest[] = all.filter(({ driver }) => driverById(driver) !== undefined);
