@echo off
rem Starts movedex on the Node.js that lies beside it.
"%~dp0..\lib\movedex\node.exe" "%~dp0..\lib\movedex\bin\movedex.mjs" %*
