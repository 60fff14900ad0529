import { claudeCodeUnderTest } from './claudeCode.ts';
import { codexUnderTest } from './codex.ts';
import { copilotUnderTest } from './copilot.ts';
import { geminiUnderTest } from './gemini.ts';
import { opencodeUnderTest } from './opencode.ts';
import { qwenUnderTest } from './qwen.ts';
import { driverById } from '../../../src/drivers/index.ts';
import type { AgentUnderTest } from './agentUnderTest.ts';

/** Every agent CLI that tests run, in the order of the matrix's columns. */
export const everyAgent: readonly AgentUnderTest[] = [
	claudeCodeUnderTest,
	copilotUnderTest,
	codexUnderTest,
	geminiUnderTest,
	opencodeUnderTest,
	qwenUnderTest,
];

/** Those that Nancy has a driver for. */
export const agentsUnderTest: readonly AgentUnderTest[] = everyAgent.filter(
	({ driver }) => driverById(driver) !== undefined,
);
