import type { ScreenProfile } from '../core/driver/screen.ts';
import { screen as copilotCli } from './copilot-cli/screen.ts';
import { screen as geminiCli } from './gemini-cli/screen.ts';
import { screen as qwenCode } from './qwen-code/screen.ts';

/** The screens that Nancy can read, by the drivers of their CLIs. */
export const screens: Readonly<Record<string, ScreenProfile>> = {
	'copilot-cli': copilotCli,
	'gemini-cli': geminiCli,
	'qwen-code': qwenCode,
};
