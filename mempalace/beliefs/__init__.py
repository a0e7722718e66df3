"""Claims with scope, evidence and confidence; what is believed of them, and the choices made with them in view."""
