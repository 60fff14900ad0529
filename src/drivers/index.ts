import type { Driver } from '../core/driver/driver.ts';
import { driverIn } from '../core/driver/driverIn.ts';
import type { LimitOf } from '../core/mailbox/held.ts';
import type { DriverId } from '../protocol/names.ts';
import { acp as servers } from './acp/driver.ts';
import { amazonQ } from './amazon-q/driver.ts';
import { claudeCode } from './claude-code/driver.ts';
import { codex } from './codex/driver.ts';
import { copilotCli } from './copilot-cli/driver.ts';
import { geminiCli } from './gemini-cli/driver.ts';
import { kiro } from './kiro/driver.ts';
import { opencode } from './opencode/driver.ts';
import { qwenCode } from './qwen-code/driver.ts';

/** Every agent CLI that Nancy knows, in the order in which they are offered: those that were tried come first. */
export const drivers: readonly Driver[] = [claudeCode, copilotCli, codex, geminiCli, opencode, qwenCode, kiro, amazonQ];

/** The same, and the driver that speaks for programs of the user's: for those that read what agents have told. */
export const allDrivers: readonly Driver[] = [...drivers, servers];

export function driverById(id: DriverId | string): Driver | undefined {
	return driverIn(allDrivers, id);
}

export const limitOf: LimitOf = ({ agent, capability }) => driverById(agent)?.limits[capability];
