import type { ScreenProfile } from '../core/driver/screen.ts';
import { screen as copilotCli } from './copilot-cli/screen.ts';

/** The screens that Nancy can read, by the drivers of their CLIs. */
export const screens: Readonly<Record<string, ScreenProfile>> = { 'copilot-cli': copilotCli };
