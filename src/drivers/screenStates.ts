import type { ScreenStates } from '../core/driver/screenStates.ts';
import { screenStates as amazonQ } from './amazon-q/screenStates.ts';
import { screenStates as claudeCode } from './claude-code/screenStates.ts';
import { screenStates as codex } from './codex/screenStates.ts';
import { screenStates as copilotCli } from './copilot-cli/screenStates.ts';
import { screenStates as geminiCli } from './gemini-cli/screenStates.ts';
import { screenStates as opencode } from './opencode/screenStates.ts';
import { screenStates as qwenCode } from './qwen-code/screenStates.ts';

/** What the screens of CLIs show that they do, by the drivers of the CLIs. */
export const screenStates: Readonly<Record<string, ScreenStates>> = {
	'amazon-q': amazonQ,
	'claude-code': claudeCode,
	codex,
	'copilot-cli': copilotCli,
	'gemini-cli': geminiCli,
	opencode,
	'qwen-code': qwenCode,
};
