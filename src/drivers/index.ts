import type { Driver } from '../core/driver/driver.ts';
import type { DriverId } from '../protocol/names.ts';
import { claudeCode } from './claude-code/driver.ts';
import { codex } from './codex/driver.ts';
import { copilotCli } from './copilot-cli/driver.ts';
import { geminiCli } from './gemini-cli/driver.ts';
import { opencode } from './opencode/driver.ts';
import { qwenCode } from './qwen-code/driver.ts';

/** Every agent CLI that Nancy knows, in the order in which they are offered. */
export const drivers: readonly Driver[] = [claudeCode, copilotCli, codex, geminiCli, opencode, qwenCode];

export function driverById(id: DriverId | string): Driver | undefined {
	return drivers.find(driver => driver.id === id);
}
